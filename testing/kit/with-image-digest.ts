import { defaultImageStage } from "@appserver/contracts/settings";
import { type AppKeys, type SignedManifest, signManifest } from "@appserver/sdk";

/** The platform's own registry, with a token that may push. */
export interface OwnRegistry {
  readonly host: string;
  readonly token: string;
}

/**
 * Returns the manifest with the digest of the image that was pushed last for the app, as `appctl deploy` writes it: a platform with a
 * registry of its own accepts no release without one. Returns it unchanged if there is no image or the keys are unknown.
 */
export async function withImageDigest(
  app: SignedManifest & { readonly keys?: AppKeys },
  { host, token }: OwnRegistry,
): Promise<SignedManifest> {
  const { manifest, keys } = app;
  if (keys === undefined || manifest.imageDigest !== undefined) return app;
  const tag = defaultImageStage(manifest.settings?.definitions ?? []) ?? "latest";
  const response = await fetch(`http://${host}/v2/${manifest.name}/manifests/${tag}`, {
    method: "HEAD",
    headers: { authorization: `Bearer ${token}` },
  });
  const imageDigest = response.headers.get("docker-content-digest");
  return response.ok && imageDigest !== null ? signManifest({ ...manifest, imageDigest }, keys) : app;
}
