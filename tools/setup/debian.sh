# Debian packages: installed where the build needs them, only unpacked where a folder will do.
# shellcheck shell=bash disable=SC2154
export DEBIAN_FRONTEND=noninteractive

as_root() {
  if ((EUID == 0)); then "$@"; else sudo --preserve-env=DEBIAN_FRONTEND -n "$@"; fi
}

# Root is asked for before any step starts: a question behind a progress bar would never be seen.
need_root() {
  ((EUID != 0)) || return 0
  if ! command -v sudo >/dev/null || ! sudo -v; then
    fail "Debian packages" "installing needs root, and sudo is not to be had" \
      "as root: apt-get install --no-install-recommends ${*}" ""
  fi
}

packages_wanted=()
packages_there() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status}\n' "${packages_wanted[@]}" 2>/dev/null) || return 1
  ! grep -qvx installed <<<"$installed"
}

# debian_packages NAME PACKAGE...
debian_packages() {
  local name=$1; shift
  packages_wanted=("$@")
  packages_there || need_root "$@"
  step_outside "$name" packages_there install_packages
}

install_packages() {
  as_root apt-get update -q
  # --print-uris tells each archive's size: url, file, bytes, digest.
  apt-get install -y --no-install-recommends --print-uris -qq "${packages_wanted[@]}" |
    awk '{sum += $3} END {print sum + 0}' >>"$bytes_got"
  : >"$scratch/apt_status"
  echo "apt $scratch/apt_status" >"$goal"
  as_root apt-get install -yq --no-install-recommends -o DPkg::Lock::Timeout=600 \
    -o APT::Status-Fd=8 "${packages_wanted[@]}" 8>>"$scratch/apt_status"
}

# Has apt-get fetch PACKAGE=VERSION into the current folder from another suite of the same archive.
# Its lists live in a state of our own, so the machine's apt never hears of that suite. The archive
# is the one that this machine uses: apt itself names it, in whichever form the sources are written.
download_from_suite() {
  local suite=$1 package=$2 state=$PWD/apt
  mkdir -p "$state"/{lists/partial,cache/archives/partial,parts}
  # shellcheck disable=SC2016  # the names are for apt, not for the shell
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v suite="$suite" '$2 == "bookworm" && $3 == "main" {print "deb [target=Packages]", $1, suite, "main"}' |
    sort -u >"$state/sources.list"
  if [[ ! -s $state/sources.list ]]; then
    echo "ERROR: no apt source of this machine has Debian 12's suite 'bookworm'" >&2
    return 1
  fi
  cat >"$state/apt.conf" <<CONF
Dir::Etc::SourceList "$state/sources.list";
Dir::Etc::SourceParts "$state/parts";
Dir::State::Lists "$state/lists";
Dir::Cache "$state/cache";
Acquire::Languages "none";
APT::Sandbox::User "root";
CONF
  # apt_pkg reads this file last, after the machine's own settings (proxies and the like).
  APT_CONFIG=$state/apt.conf timeout 300 apt-get update -q
  echo 9700000 >>"$bytes_got"    # the suite's list of packages
  APT_CONFIG=$state/apt.conf timeout 300 apt-get download -q "$package"
}
