import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { EngineClient } from "@appserver/containers-docker";
import { buildImage, pushImage, type TarEntry } from "@appserver/containers-docker/images";

const program = "/bin/sleep";

/**
 * Creates an image whose container does nothing and needs almost no memory, tagged as the latest image of every app. It has
 * this machine's `sleep` and its libraries. It is built on the engine and pushed to the registry.
 */
export async function publishIdleImage(socketPath: string, registry: string, apps: readonly string[]): Promise<void> {
  const engine = new EngineClient(socketPath);
  try {
    const [first = "", ...others] = apps.map((app) => `${registry}/${app}`);
    const dockerfile = `FROM scratch\nCOPY root/ /\nCMD ${JSON.stringify([program, "86400"])}\n`;
    await buildImage(engine, `${first}:latest`, dockerfile, files());
    await pushImage(engine, `${first}:latest`);
    for (const image of others) {
      await engine.request("POST", `/images/${first}:latest/tag`, { query: { repo: image, tag: "latest" } });
      await pushImage(engine, `${image}:latest`);
    }
    // The orchestrators must then pull the image.
    for (const image of [first, ...others]) await engine.request("DELETE", `/images/${image}:latest`);
  } finally {
    await engine.close();
  }
}

function files(): readonly TarEntry[] {
  const linked = execFileSync("ldd", [program], { encoding: "utf8" }).matchAll(/(?:=> )?(\/\S+) \(0x/g);
  const paths = [program, ...[...linked].map(([, path = ""]) => path)];
  return [
    ...paths.map((path): TarEntry => ({ kind: "copy", path: `root${path}`, source: realpathSync(path), mode: 0o755 })),
    // Mount points: the root is read-only when the engine mounts them.
    ...["dev", "proc", "sys", "tmp"].map((path): TarEntry => ({ kind: "folder", path: `root/${path}` })),
  ];
}
