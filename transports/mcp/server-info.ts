/** Returns the name and version of the server, as clients receive them. */
export function serverInfoOf(version: string) {
  return { name: "appserver", title: "Appserver", version };
}
