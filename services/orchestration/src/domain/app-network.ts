/**
 * Returns the name of an app's network: `<instance>-app-<first 40 characters of the name>-<last 8 hex digits of the id>`
 * (docs/interface/containers.md#network). An app that is registered again under the same name has another network.
 */
export function appNetworkName(instance: string, app: { readonly id: string; readonly name: string }): string {
  return `${instance}-app-${app.name.slice(0, 40)}-${app.id.replaceAll("-", "").slice(-8)}`;
}
