import { isStorageName, storageVariable } from "@appserver/contracts/names";

/**
 * Returns the path of a storage that the manifest of the app declares. What the app writes there is there again after a restart, an
 * upgrade and another installation (docs/interface/containers.md#storage).
 *
 * Throws RangeError if the platform did not pass a storage of this name.
 */
export function storagePath(name: string, env: Readonly<Record<string, string | undefined>> = process.env): string {
  const path = isStorageName(name) ? env[storageVariable(name)] : undefined;
  if (path) return path;
  const expected = isStorageName(name)
    ? `${storageVariable(name)} is not set. The platform sets it for the apps that it runs and whose app.yaml has this \`storage\`; ` +
      "for an app that you start yourself, set it to a folder"
    : "that is not the name of a storage";
  throw new RangeError(`there is no storage ${JSON.stringify(name)}: ${expected}`);
}
