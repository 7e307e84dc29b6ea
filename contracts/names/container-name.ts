const prefix = "app-";

/** The end of the name of a container that runs at the same time as the current one of its app. */
const generationSuffix = /-g\d+$/;

/**
 * Returns `app-<name>`: the container's name and its host name on the platform's network (docs/interface/containers.md#names).
 * With a generation: `app-<name>-g<generation>`, the name of a container that runs at the same time as the current one.
 */
export function containerName(appName: string, generation?: number): string {
  return generation === undefined ? prefix + appName : `${prefix}${appName}-g${generation}`;
}

/**
 * Returns the apps that can have a container of this name, see {@link containerName}. `app-notes-g2` belongs to the app `notes`
 * or to the app `notes-g2`. Empty for other containers.
 */
export function appsOfContainer(name: string): readonly string[] {
  if (!name.startsWith(prefix)) return [];
  const appName = name.slice(prefix.length);
  const withoutGeneration = appName.replace(generationSuffix, "");
  return withoutGeneration === appName ? [appName] : [appName, withoutGeneration];
}
