#!/bin/sh
# Closes the host and private networks to the containers of apps. The internet, DNS and their own network stay open.
#
#   apps-firewall.sh [-d] POOL [ADDRESS:PORT ...]
#
# POOL is containers.network_pool. Each ADDRESS:PORT stays open over TCP: the platform and the database, if they run on this host or in a
# private network. -d deletes the rules. Needs root and iptables; run it at every boot, before or after the Docker engine.
set -eu
delete=no
if [ "${1:-}" = -d ]; then delete=yes; shift; fi
pool=${1:?usage: apps-firewall.sh [-d] POOL [ADDRESS:PORT ...]}
shift
id=$(printf %s "$pool" | tr ./ --)
host="APPS-H-$id" out="APPS-O-$id"

rule() { iptables -w "$@"; }
# Removes the jumps and the chains of an earlier run.
for parent in INPUT DOCKER-USER; do
  while rule -D "$parent" -s "$pool" -j "$host" 2>/dev/null || rule -D "$parent" -s "$pool" -j "$out" 2>/dev/null; do :; done
done
for chain in "$host" "$out"; do
  rule -F "$chain" 2>/dev/null && rule -X "$chain"
done || true
if [ "$delete" = yes ]; then exit 0; fi

rule -N DOCKER-USER 2>/dev/null || true
for chain in "$host" "$out"; do
  rule -N "$chain"
  rule -A "$chain" -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN
  for open in "$@"; do rule -A "$chain" -p tcp -d "${open%:*}" --dport "${open##*:}" -j RETURN; done
  for protocol in udp tcp; do rule -A "$chain" -p "$protocol" --dport 53 -j RETURN; done
done
# The engine keeps the networks of the pool apart. Inside of one, the gateways must be reachable.
rule -A "$out" -d "$pool" -j RETURN
for range in 169.254.0.0/16 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 198.18.0.0/15; do
  rule -A "$out" -d "$range" -j REJECT
done
rule -A "$host" -j REJECT
rule -I INPUT -s "$pool" -j "$host"
rule -I DOCKER-USER -s "$pool" -j "$out"
