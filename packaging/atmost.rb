# The formula of Homebrew, for a tap; tools/release fills in version, home page and sums. The
# programs are those of the archives, as they need nothing of the machine.
class Atmost < Formula
  desc "@DESCRIPTION@"
  homepage "@HOME@"
  version "@VERSION@"
  license "@LICENCE@"
  depends_on :linux

  on_intel do
    url "@HOME@/releases/download/v@VERSION@/atmost-@VERSION@-linux-x86_64.tar.gz"
    sha256 "@SHA256_X86_64@"
  end
  on_arm do
    url "@HOME@/releases/download/v@VERSION@/atmost-@VERSION@-linux-aarch64.tar.gz"
    sha256 "@SHA256_AARCH64@"
  end

  def install
    prefix.install Dir["*"]
  end

  test do
    system bin/"atmost", "run", "x", "true"
    assert_match version.to_s, shell_output("#{bin}/atmost --version")
  end
end
