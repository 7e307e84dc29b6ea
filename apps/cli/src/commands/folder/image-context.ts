import { existsSync } from "node:fs";
import { cp, writeFile } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { isLeftOutOfImages } from "@appserver/contracts/folder-images";
import { folderBackend } from "@appserver/sdk";
import { UsageError } from "../../usage-error.ts";

/**
 * Writes into an empty folder what Docker needs to build the image of an app's folder without a Dockerfile: the backend, and a Dockerfile
 * that installs its packages by `package-lock.json` or `requirements.txt`. Left out are pages, which `appctl` sends to the
 * platform, installed packages, keys, and files of tools, which can have secrets. Throws {@link UsageError} if the folder does not say what its
 * packages are.
 */
export async function writeImageContext(folder: string, target: string): Promise<void> {
  const dockerfile = dockerfileOf(folder);
  await cp(folder, target, {
    recursive: true,
    preserveTimestamps: true,
    filter: (source) => source === folder || !isLeftOut(relative(folder, source), folder),
  });
  await writeFile(join(target, "Dockerfile"), dockerfile);
}

/** Folders of pages, and of what is built from them. */
const ofPages: ReadonlySet<string> = new Set(["web", "dist"]);

function isLeftOut(path: string, folder: string): boolean {
  const name = basename(path);
  if (name.startsWith(".") || name.endsWith(".pem") || name === "node_modules" || isLeftOutOfImages(name)) return true;
  const backend = folderBackend(folder);
  const isBackend = backend.language === "node" && backend.main.split("/", 1)[0] === path;
  return !path.includes(sep) && ofPages.has(path) && !isBackend;
}

/** The user of containers on the platform (docs/interface/manifest.md#user). */
const user = "USER 65532:65532";

/** The packages are a layer before that of the code: a change of the code does not install them again. */
function dockerfileOf(folder: string): string {
  const has = (file: string): boolean => existsSync(join(folder, file));
  // A build cannot reach the platform, from which the SDK is.
  const vendor = has("vendor") ? ["COPY vendor vendor"] : [];
  const backend = folderBackend(folder);
  if (backend.language === "python") {
    const install =
      "RUN python3 -m pip install --no-cache-dir --disable-pip-version-check --root-user-action=ignore -r requirements.txt";
    const packages = has("requirements.txt") ? ["COPY requirements.txt ./", ...vendor, install] : [];
    return [
      ...["FROM python:3.13-slim", "WORKDIR /app", ...packages, "COPY . .", "ENV PYTHONUNBUFFERED=1", user],
      `CMD ${JSON.stringify(["python3", "-B", "-m", backend.module])}`,
      "",
    ].join("\n");
  }
  if (backend.language === "any")
    throw new UsageError(
      `${folder} has a \`command\` in app.yaml, and no Dockerfile, from which the image of such an app is built`,
    );
  if (!has("package.json") || !has("package-lock.json"))
    throw new UsageError(
      `${folder} has no Dockerfile, and no ${has("package.json") ? "package-lock.json" : "package.json"}, from which its image gets its packages: \`npm install\` writes it`,
    );
  return [
    ...["FROM node:24-slim", "WORKDIR /app", "COPY package.json package-lock.json ./", ...vendor],
    ...["RUN npm ci --omit=dev --no-audit --no-fund", "COPY . .", "ENV NODE_ENV=production", user],
    `CMD ${JSON.stringify(["node", backend.main])}`,
    "",
  ].join("\n");
}
