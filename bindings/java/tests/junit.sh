#!/bin/sh
# Compiles the tests and runs them, or a program: junit.sh JAR FOLDER [PROGRAM.java]. JAR is the
# binding's; JNA and JUnit are those of /usr/share/java. FOLDER gets the classes.
set -eu
jar=$1 folder=$2 program=${3-}
tests=$(cd "$(dirname "$0")" && pwd)
classes=$folder/classes
path=$classes:$jar
for name in jna gson junit-jupiter-api junit-jupiter-engine junit-platform-commons \
  junit-platform-console junit-platform-engine junit-platform-launcher junit-platform-reporting \
  apiguardian-api opentest4j opentest4j-reporting-events picocli; do
  file=/usr/share/java/$name.jar
  [ -f "$file" ] || {
    echo "junit.sh: $file is missing (Debian: junit5 libgoogle-gson-java libjna-java)" >&2
    exit 1
  }
  path=$path:$file
done
command -v javac >/dev/null ||
  { echo "junit.sh: javac is missing (Debian: openjdk-17-jdk-headless)" >&2; exit 1; }
mkdir "$classes"
javac --release 17 -encoding UTF-8 -Xlint:all,-path,-try -Werror -proc:none -cp "$path" \
  -d "$classes" "$tests"/atmost/*.java ${program:+"$program"}
if [ -n "$program" ]; then
  exec java -Djava.io.tmpdir="$folder" -cp "$path" "$(basename "$program" .java)"
fi
exec java -Djava.io.tmpdir="$folder" -cp "$path" org.junit.platform.console.ConsoleLauncher \
  --scan-classpath="$classes" \
  --fail-if-no-tests --disable-banner --disable-ansi-colors --details="${ATMOST_DETAILS:-summary}" \
  --config=junit.jupiter.execution.timeout.default=300s
