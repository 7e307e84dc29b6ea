import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { containerApi, publishApp, type RunningPlatform, testApp, writeAppFolder } from "@appserver/testing/kit";

const source = `
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const gate = join(process.env.DATA_DIR, "open");
createServer((request, response) => {
  response.statusCode = existsSync(gate) ? 200 : 503;
  response.end();
}).listen(Number(process.env.PORT), process.env.HOST);
`;

/** An app whose installation does not end until its gate opens, because it is not healthy before. */
export interface GatedApp {
  open(): Promise<void>;
  remove(): Promise<void>;
}

/** Registers the app with the platform, and brings its code. */
export async function gatedApp(platform: RunningPlatform, name: string): Promise<GatedApp> {
  const folder = await writeAppFolder(source);
  await platform.register(await testApp({ name, web_app: { api: containerApi(name) } }));
  await publishApp(platform, name, folder);
  const data = join(platform.dataDir, "apps", name);
  return {
    open: async () => {
      await mkdir(data, { recursive: true });
      await writeFile(join(data, "open"), "");
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
