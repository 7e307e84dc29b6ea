const imageDigestPattern = /^sha256:[0-9a-f]{64}$/;

/** The form of a digest, for error messages. */
export const imageDigestForm = "sha256: and 64 lower-case hex digits";

/** Returns whether a text is the digest of an image (docs/interface/manifest.md#image). */
export function isImageDigest(text: string): boolean {
  return imageDigestPattern.test(text);
}
