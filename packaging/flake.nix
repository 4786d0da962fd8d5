# nix run 'git+file:.?dir=packaging' builds it from the sources beside this folder.
{
  description = "At most N at a time, at most once every T, for at most D";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "riscv64-linux" ];
      built = system:
        let pkgs = nixpkgs.legacyPackages.${system}; in
        pkgs.stdenv.mkDerivation {
          pname = "atmost";
          version = "0.1.0";
          src = ./..;
          nativeBuildInputs = [ pkgs.cmake pkgs.ninja ];
          buildInputs = with pkgs; [ curl libpq ncurses nlohmann_json tomlplusplus zlib ];
          cmakeFlags = [ "-DATMOST_TESTS=OFF" "-DATMOST_WERROR=OFF" "-DATMOST_MUSL=OFF" ];
          meta = { license = pkgs.lib.licenses.mit; mainProgram = "atmost"; };
        };
    in
    { packages = nixpkgs.lib.genAttrs systems (system: { default = built system; }); };
}
