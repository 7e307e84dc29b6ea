import { posix } from "node:path";
import type { TarEntry } from "@appserver/contracts/folder-images";
import type { AppImageSource } from "@appserver/driver";
import { EngineClient } from "../index.ts";
import type { AppBackend } from "./app-backend.ts";
import { hashOf } from "./base-image.ts";
import { filesBelow } from "./files-below.ts";
import { buildImage, contentLabel, hasImage } from "./image-builder.ts";
import { nodeBackend } from "./node-backend.ts";
import { pythonBackend } from "./python-backend.ts";

export interface AppImageOptions extends AppImageSource {
  readonly socketPath: string;
}

export interface AppImage {
  readonly image: string;
  /** False if the engine already had the image with the same contents. */
  readonly made: boolean;
}

/**
 * Creates an app's image on an engine without pulling images. It contains a base with Node or Python, the backend, and the extra
 * files. It runs in /app on port 3000, as user 1000 or any other one.
 */
export async function makeAppImage(options: AppImageOptions): Promise<AppImage> {
  const { appFolder, entry, image } = options;
  const engine = new EngineClient(options.socketPath);
  try {
    const isNode = typeof entry === "string";
    const backend = isNode ? await nodeBackend(engine, appFolder, entry) : await pythonBackend(engine, appFolder, entry);
    const extraFiles = (options.extraFolders ?? []).flatMap((path) => [...filesBelow(appFolder, path, { into: "app" })]);
    const files: TarEntry[] = [
      ...backend.packages.map((file) => ({ ...file, path: `${packagesContext}/${file.path}` })),
      ...[...backend.files, ...extraFiles].filter(({ path }) => posix.basename(path) !== publisherKey),
    ];
    const dockerfile = appDockerfile(backend);
    const hash = await hashOf([{ kind: "file", path: "Dockerfile", contents: dockerfile }, ...files]);
    if (await hasImage(engine, image, hash)) return { image, made: false };
    await buildImage(engine, image, `${dockerfile}LABEL ${contentLabel}=${hash}\n`, files);
    return { image, made: true };
  } finally {
    await engine.close();
  }
}

/** The file with the private key of the publisher. It signs new versions of the app, so no image contains it. */
const publisherKey = "key.pem";

/** The folder of the packages among the files that a build copies. */
const packagesContext = "packages";

function appDockerfile({ base, packages, environment, command }: AppBackend): string {
  return [
    `FROM ${base}`,
    // A layer of its own: another version of the app shares it.
    ...(packages.length > 0 ? [`COPY ${packagesContext}/ /`] : []),
    "COPY app/ /app/",
    "WORKDIR /app",
    ...Object.entries(environment).map(([name, value]) => `ENV ${name}=${value}`),
    "USER 1000:1000",
    "EXPOSE 3000",
    `CMD ${JSON.stringify(command)}`,
    "",
  ].join("\n");
}
