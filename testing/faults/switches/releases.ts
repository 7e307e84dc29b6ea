import { appendFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buildFrontend } from "@appserver/builds/frontend";
import { type AppKeys, ensureAppKeys, loadManifest } from "@appserver/sdk";
import { type TestApp, testApp } from "@appserver/testing/kit";

export const notes = "com.example.notes";
export const streaming = "test.streaming";
/** The same app, called with requests that take half a second. */
export const slow = "test.slow";

const root = join(import.meta.dirname, "../../..");
const notesFolder = join(root, "examples/notes");

/** A version of an app: what its developer registers, and the folder of its code. */
export interface Release {
  readonly app: TestApp;
  readonly folder: string;
}

/** Writes releases of two apps into a temporary folder. */
export class Releases {
  readonly #folder: string;
  readonly #keys = new Map<string, AppKeys>();
  #count = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(): Promise<Releases> {
    const folder = await mkdtemp(join(tmpdir(), "appserver-releases-"));
    // The apps find the SDK there.
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    await ensureAppKeys(notesFolder, notes);
    await buildFrontend(notesFolder);
    return new Releases(folder);
  }

  /** The notes app with another version, and with a page that differs from that of the other versions. */
  async notes(version: string): Promise<Release> {
    const folder = await this.#newFolder();
    await cp(notesFolder, folder, { recursive: true, filter: (path) => basename(path) !== "node_modules" });
    const manifest = await readFile(join(folder, "app.yaml"), "utf8");
    await writeFile(join(folder, "app.yaml"), manifest.replace(/^version: .*$/m, `version: ${version}`));
    await appendFile(join(folder, "dist/remoteEntry.js"), `\n// ${version}\n`);
    const keys = await ensureAppKeys(folder, notes);
    return { folder, app: { ...(await loadManifest(folder, keys)), keys } };
  }

  /** An app with a WebSocket, an event stream and a slow route. */
  async streaming(version: string, name: string = streaming, replicas = 1): Promise<Release> {
    const folder = await this.#newFolder();
    await cp(join(import.meta.dirname, "streaming-app"), folder, { recursive: true });
    await writeFile(join(folder, "release.json"), JSON.stringify({ version }));
    const route = (pattern: string, method = "GET") => ({ pattern, methods: [method], is_public: true });
    const api = {
      base_path: `/api/apps/${name}`,
      upstream_base_url: `http://app-${name}:3000`,
      strip_base_path: true,
      // The streams must be open when the drain timeout ends.
      timeout_ms: 60_000,
      health_check: { path: "/health", interval_seconds: 5, timeout_ms: 2_000, unhealthy_threshold: 3 },
      routes: [route("/instance"), route("/events"), route("/socket"), route("/slow", "POST")],
    };
    const app = await testApp({ name, version, replicas: { min: replicas }, web_app: { api } }, {}, this.#keys.get(name));
    this.#keys.set(name, app.keys);
    return { folder, app };
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #newFolder(): Promise<string> {
    this.#count += 1;
    const folder = join(this.#folder, String(this.#count));
    await mkdir(folder);
    return folder;
  }
}
