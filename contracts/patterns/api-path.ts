/** Public prefix of the APIs of all apps (docs/interface/proxy.md#paths). */
export const apiPrefix = "/api/apps/";

/** Returns the public prefix of one app's API, without a trailing slash. */
export function apiPath(appName: string): string {
  return apiPrefix + appName;
}

/**
 * Returns the absolute form of a `base_path`, without a trailing slash. `base_path` is absolute (it starts with the app's public
 * prefix) or relative to the prefix.
 */
export function absoluteBasePath(appName: string, basePath: string): string {
  const own = apiPath(appName);
  const absolute = basePath === own || basePath.startsWith(`${own}/`) ? basePath : own + basePath;
  return absolute.replace(/\/+$/, "");
}
