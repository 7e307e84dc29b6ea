import type { Endpoint } from "@appserver/kernel/ports";

const defaultPorts: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "ldap:": 389,
  "ldaps:": 636,
  "nats:": 4222,
  "smtp:": 587,
  "smtps:": 465,
  "postgres:": 5432,
  "postgresql:": 5432,
  "redis:": 6379,
  "rediss:": 6379,
  "amqp:": 5672,
  "amqps:": 5671,
};

/**
 * Returns the addresses of servers by their URLs. `siblings` are other ports of the same servers that give access to the same data,
 * such as that of its management.
 */
export function endpointsOf(urls: readonly (string | undefined)[], siblings: readonly number[] = []): readonly Endpoint[] {
  return urls.flatMap((text) => {
    if (text === undefined) return [];
    const { hostname, port, protocol } = new URL(text);
    const host = hostname === "" ? "localhost" : hostname;
    const ports = new Set([Number(port) || defaultPorts[protocol] || 0, ...siblings]);
    return [...ports].map((each) => ({ host, port: each }));
  });
}
