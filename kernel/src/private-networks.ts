/** Ranges of addresses that networks use for themselves. `deploy/apps-firewall.sh` has those of IPv4. */
export const privateNetworks: readonly string[] = [
  ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"],
  // Shared address space of providers, and benchmarks.
  ...["100.64.0.0/10", "198.18.0.0/15"],
  ...["fc00::/7", "fec0::/10"],
];

/** Ranges that lead to no other machine of the internet, and never to a private network: some clouds have services for machines there. */
export const reservedNetworks: readonly string[] = [
  ...["0.0.0.0/8", "240.0.0.0/4"],
  // Links, with the metadata of clouds, and the wire server of Azure in a public range.
  ...["169.254.0.0/16", "168.63.129.16/32"],
  // 6to4 contains an IPv4 address.
  "2002::/16",
];
