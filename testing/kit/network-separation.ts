import { spawnSync } from "node:child_process";
import { EngineClient } from "@appserver/containers-docker";

/**
 * Returns why the host's firewall does not separate the network from others, although its engine has made the rules: another
 * engine that starts on the same host deletes the rules of the first one. Undefined if the rules are there, or if they cannot
 * be read.
 */
export async function separationProblem(socketPath: string, network: string): Promise<string | undefined> {
  const { status, stdout } = spawnSync("iptables", ["-w", "-S", "DOCKER-ISOLATION-STAGE-2"], { encoding: "utf8" });
  if (status !== 0) return undefined;
  const engine = new EngineClient(socketPath);
  try {
    const { body } = await engine.request("GET", `/networks/${network}`);
    const { Id, Driver } = body as { Id: string; Driver: string };
    if (Driver !== "bridge" || stdout.includes(`-o br-${Id.slice(0, 12)} -j DROP`)) return undefined;
    return "another Docker engine on this host has deleted the firewall rules of this one";
  } finally {
    await engine.close();
  }
}
