/** Types of pictures that can be the logo. */
export type LogoType = "image/svg+xml" | "image/png" | "image/webp";

/** A picture that stands for the platform. */
export interface Logo {
  readonly type: LogoType;
  readonly bytes: Uint8Array;
}

/** The greatest size of a logo. Every page loads it. */
export const maxLogoBytes = 131_072;

/** Returns the type of a picture by its content. Undefined if it is none of these. */
export function logoTypeOf(bytes: Uint8Array): LogoType | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 1_024));
  if (bytes[0] === 0x89 && head.startsWith("PNG\r\n\x1a\n", 1)) return "image/png";
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return "image/webp";
  return /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/.test(head) ? "image/svg+xml" : undefined;
}
