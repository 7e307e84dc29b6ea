import { join } from "node:path";

/** A sample app of the repository. */
export interface ExampleApp {
  readonly name: string;
  readonly folder: string;
}

/** The repository's root, four folders above this file. */
export const repositoryRoot: string = join(import.meta.dirname, "../../../..");

/** In order of registration: clock depends on notes. */
export const exampleApps: readonly ExampleApp[] = [
  { name: "com.example.notes", folder: join(repositoryRoot, "examples/notes") },
  { name: "com.example.clock", folder: join(repositoryRoot, "examples/clock") },
];

/** `{registry_url}` of the images that are built for development. No image is pulled from it. */
export const devRegistry = "appserver.local";

/** Returns the image of a sample app by tag. */
export function exampleImage(appName: string): string {
  return `${devRegistry}/${appName}:latest`;
}
