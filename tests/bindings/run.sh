#!/bin/sh
# A binding's own tests, by its language's own runner, as a user runs them: the library and the
# programs are installed, and the environment has only their places.
#
#     run.sh BUILD SOURCE LANGUAGE [SCRIPT]    the tests, or the script
set -eu
build=$1 source=$2 language=$3 script=${4-}
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-$language.XXXXXX")
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix
npm_cache=${npm_config_cache-$HOME/.npm} maven=${MAVEN_REPOSITORY-$HOME/.m2/repository}
"$source/tools/install" "$build" "$prefix" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
cp -rL "$source/bindings/$language" "$folder/binding"
cp "$source/LICENSE" "$folder/binding"
cd "$folder/binding"
as_anybody() {
  env -i HOME="$folder" PATH="$prefix/bin:$PATH" LC_ALL=C.UTF-8 TMPDIR="$folder" \
    LD_LIBRARY_PATH="$prefix/lib" PKG_CONFIG_PATH="$prefix/lib/pkgconfig" \
    npm_config_cache="$npm_cache" npm_config_audit=false npm_config_fund=false \
    npm_config_update_notifier=false "$@"
}
quiet() { as_anybody "$@" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }; }

case $language in
  python) # the tests of the sdist, with the wheel that is built from it, without a network
    quiet /usr/bin/python3 -c 'import backend; backend.build_sdist("..")'
    mkdir "$folder/sdist"
    tar -xf "$folder"/atmost-*.tar.gz -C "$folder/sdist" --strip-components 1
    cd "$folder/sdist"
    quiet /usr/bin/python3 -m venv "$folder/bare"
    quiet "$folder/bare/bin/python" -m pip install --no-index .
    quiet "$folder/bare/bin/python" -c 'import atmost; assert atmost.__version__'
    quiet /usr/bin/python3 -m venv --without-pip --system-site-packages "$folder/venv"
    quiet "$folder/bare/bin/python" -m pip --python "$folder/venv/bin/python" install --no-index .
    python=$folder/venv/bin/python
    if [ -n "$script" ]; then
      as_anybody PYTHONPATH="$PWD/tests" "$python" "$script"
      exit
    fi
    as_anybody /usr/bin/python3 -m mypy --strict src tests
    rm -r src
    as_anybody "$python" -m pytest -q -p no:cacheprovider
    ;;
  perl) # what cpanm does
    quiet perl Makefile.PL
    quiet make
    if [ -n "$script" ]; then
      as_anybody perl -Mblib -Itests "$script"
      exit
    fi
    as_anybody make test
    ;;
  node)
    quiet npm ci
    if [ -n "$script" ]; then
      cp "$script" tests
      as_anybody node "tests/$(basename "$script")"
      exit
    fi
    as_anybody npm test
    ;;
  java)
    if [ -n "$script" ]; then
      as_anybody make -s trial PROGRAM="$script"
      exit
    fi
    as_anybody make -s javadoc check
    command -v mvn >/dev/null || exit 0
    as_anybody mvn -q -B -Dmaven.repo.local="$maven" test
    grep -rqs 'tests="[1-9]' target/surefire-reports ||
      { echo "run.sh: mvn test runs no test" >&2; exit 1; }
    ;;
  guile | tcl)
    if [ -n "$script" ]; then
      as_anybody make -s trial PROGRAM="$script"
      exit
    fi
    as_anybody make -s check
    ;;
esac
