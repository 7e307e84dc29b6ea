import { readdirSync, statSync } from "node:fs";
import { extname, join, posix } from "node:path";
import { EngineClient } from "../index.ts";
import { bundleApp } from "./bundle-app.ts";
import { buildImage, contentLabel, hasImage } from "./image-builder.ts";
import { ensureNodeBase, hashOf, nodeInImage } from "./node-base.ts";
import type { TarEntry } from "./tar.ts";

export interface AppImageOptions {
  readonly socketPath: string;
  readonly appFolder: string;
  /** The backend's main file, relative to the app's folder: `src/main.ts`. */
  readonly entry: string;
  /** `<registry>/<app>:<stage>` */
  readonly image: string;
  /** Files and folders that the app reads at run time, relative to its folder: `web/dist`, `app.yaml`. `key.pem` is left out. */
  readonly extraFolders?: readonly string[];
}

export interface AppImage {
  readonly image: string;
  /** False if the engine already had the image with the same contents. */
  readonly made: boolean;
}

/**
 * Creates an app's image on an engine without pulling images. It contains the Node base, the bundled backend in place of its
 * source (so that `new URL("../app.yaml", import.meta.url)` stays valid), and the extra files. It runs in /app on port 3000,
 * as user 1000 or any other one.
 */
export async function makeAppImage(options: AppImageOptions): Promise<AppImage> {
  const engine = new EngineClient(options.socketPath);
  try {
    const base = await ensureNodeBase(engine);
    const bundlePath = `${options.entry.slice(0, -extname(options.entry).length)}.mjs`;
    const files: TarEntry[] = [
      { kind: "file", path: `app/${bundlePath}`, contents: await bundleApp(options.appFolder, options.entry) },
      ...(options.extraFolders ?? []).flatMap((folder) => [...filesBelow(options.appFolder, folder)]),
    ];
    const dockerfile = appDockerfile(base, bundlePath);
    const hash = await hashOf([{ kind: "file", path: "Dockerfile", contents: dockerfile }, ...files]);
    if (await hasImage(engine, options.image, hash)) return { image: options.image, made: false };
    await buildImage(engine, options.image, `${dockerfile}LABEL ${contentLabel}=${hash}\n`, files);
    return { image: options.image, made: true };
  } finally {
    await engine.close();
  }
}

function appDockerfile(base: string, bundlePath: string): string {
  return [
    `FROM ${base}`,
    "COPY app/ /app/",
    "WORKDIR /app",
    "USER 1000:1000",
    "EXPOSE 3000",
    `CMD ${JSON.stringify([nodeInImage, `/app/${bundlePath}`])}`,
    "",
  ].join("\n");
}

/** Name of the file with the private key of the publisher. */
const publisherKey = "key.pem";

function* filesBelow(appFolder: string, path: string): Generator<TarEntry> {
  // It signs new versions of the app, so it stays with the publisher.
  if (posix.basename(path) === publisherKey) return;
  const source = join(appFolder, path);
  if (statSync(source).isFile()) {
    yield { kind: "copy", path: posix.join("app", path), source };
    return;
  }
  for (const name of readdirSync(source).sort()) yield* filesBelow(appFolder, posix.join(path, name));
}
