import { join } from "node:path";

/** A sample app of the repository. */
export interface ExampleApp {
  readonly name: string;
  readonly folder: string;
  /** What runs its backend. Default `node`. */
  readonly runtime?: "python";
}

/** The repository's root, four folders above this file. */
export const repositoryRoot: string = join(import.meta.dirname, "../../../..");

/** Another version of a sample app. `npm start` does not register it; it can run as soon as it is registered by hand. */
export interface ExampleVersion extends ExampleApp {
  /** The tag of its image. Its app.yaml declares it as the default of `docker.image.stage`. */
  readonly stage: string;
  /** The folder of the version that `npm start` registers. Both have the same keys. */
  readonly original: string;
}

/** In order of registration: the others depend on notes. */
export const exampleApps: readonly ExampleApp[] = [
  { name: "com.example.notes", folder: join(repositoryRoot, "examples/notes") },
  { name: "com.example.clock", folder: join(repositoryRoot, "examples/clock") },
  { name: "com.example.board", folder: join(repositoryRoot, "examples/board"), runtime: "python" },
];

export const exampleVersions: readonly ExampleVersion[] = [
  {
    name: "com.example.notes",
    folder: join(repositoryRoot, "examples/notes-1.1"),
    stage: "pre-release",
    original: join(repositoryRoot, "examples/notes"),
  },
];

/** `{registry_url}` of the images that are built for development. No image is pulled from it. */
export const devRegistry = "appserver.local";

/** Returns the image of a sample app by tag. */
export function exampleImage(appName: string, stage = "latest"): string {
  return `${devRegistry}/${appName}:${stage}`;
}

/** The folder of the apps of the gallery. `com.example.links` is in `links`. */
export const galleryFolder: string = join(repositoryRoot, "gallery");

/** The prefix of the names of the apps of the gallery, before the names of their folders. */
export const galleryPrefix = "com.example.";

/** What runs from each image: the sample apps, and their other versions. */
export const runnableExamples: readonly (ExampleApp & { readonly image: string })[] = [
  ...exampleApps.map((app) => ({ ...app, image: exampleImage(app.name) })),
  ...exampleVersions.map((version) => ({ ...version, image: exampleImage(version.name, version.stage) })),
];
