# Sourced by the scripts beside it. Downloads go to .conformance/, checked against their sums; they never enter the
# repository.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=$root/.conformance
mkdir -p "$cache/wheels" "$cache/sources"
if [ ! -x "$cache/venv/bin/pip" ]; then python3 -m venv "$cache/venv"; fi

pip_download() { # folder, name, version, sum, options of pip
  local folder=$1 name=$2 version=$3 sum=$4
  shift 4
  "$cache/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --require-hashes "$@" --dest "$folder" \
    --requirement <(echo "$name==$version --hash=sha256:$sum") >&2
}

wheel() { # name version sum
  local file
  for file in "$cache/wheels/$1-$2"-*.whl; do
    if [ -e "$file" ] && echo "$3  $file" | sha256sum --check --status; then return; fi
  done
  pip_download "$cache/wheels" "$1" "$2" "$3" --only-binary :all:
}

source_archive() { # name version sum; prints where it is
  local file=$cache/sources/$1-$2.tar.gz
  if ! { [ -e "$file" ] && echo "$3  $file" | sha256sum --check --status; }; then
    pip_download "$cache/sources" "$1" "$2" "$3" --no-binary :all:
  fi
  echo "$file"
}

# Debian's archive as of one release, with lists of its own: the host's are left alone, and may be of another.
debian() { # arguments of apt-get
  local home=$cache/debian
  if [ ! -e "$home/updated" ]; then
    mkdir -p "$home/lists/partial"
    printf '%s\n' 'Types: deb deb-src' 'URIs: http://deb.debian.org/debian' 'Suites: bookworm' 'Components: main' \
      'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' >"$home/debian.sources"
  fi
  local options=(-qq -o "Dir::Etc::sourcelist=$home/debian.sources" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$home/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
  [ -e "$home/updated" ] || apt-get "${options[@]}" update >&2 && touch "$home/updated" || return
  (cd "$cache/sources" && apt-get "${options[@]}" "$@" >&2)
}

debian_source() { # name version-of-the-original sum; prints where its archive is
  local file=$cache/sources/$1_$2.orig.tar.xz
  if ! { [ -e "$file" ] && echo "$3  $file" | sha256sum --check --status; }; then
    debian source --download-only --only-source "$1" && echo "$3  $file" | sha256sum --check --quiet >&2 || return
  fi
  echo "$file"
}

debian_package() { # name version sum, of one for all architectures; prints where it is
  local file=$cache/sources/$1_$2_all.deb
  if ! { [ -e "$file" ] && echo "$3  $file" | sha256sum --check --status; }; then
    debian download "$1=$2" && echo "$3  $file" | sha256sum --check --quiet >&2 || return
  fi
  echo "$file"
}

tool() { # name; installs what requirements/<name>.txt pins into an environment of its own and prints the program
  local home=$cache/$1 wanted=$root/scripts/conformance/requirements/$1.txt
  if ! cmp --silent "$wanted" "$home/installed.txt"; then
    rm -rf "$home"
    # Joined, because set -e does not reach into a command substitution.
    python3 -m venv "$home" \
      && "$home/bin/pip" install --quiet --disable-pip-version-check --require-hashes --requirement "$wanted" >&2 \
      && cp "$wanted" "$home/installed.txt" || return
  fi
  echo "$home/bin/$1"
}
