/** Returns what clients are told about the server. */
export function serverInfoOf(version: string) {
  return { name: "appserver", title: "Appserver", version };
}
