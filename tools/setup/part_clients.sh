# Part `clients`: the protocol's official clients in Python, for tests/e2e/. ./check brings them in CI.
# shellcheck shell=bash disable=SC2154

part_clients() {
  debian_packages "Debian packages, clients" curl
  step "Python for clients" clients-venv get_clients_venv "$here/clients/requirements.txt"
}

get_clients_venv() { fill_venv clients-venv "$here/clients/requirements.txt" 32000000; }
