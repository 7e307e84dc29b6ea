import type { GlobalOptions } from "./global-options.ts";
import { readJson } from "./http.ts";

/** Who a platform takes the caller for. */
export interface Viewer {
  /** `user:alice`. Null for an anonymous caller, and for everyone on a development platform. */
  readonly subject: string | null;
  readonly kind: "user" | "machine" | "app" | "anonymous" | "system";
  readonly displayName: string | null;
  /** Those of the platform that it holds. */
  readonly permissions: readonly string[];
  /** Whether it may register apps without the registration token. */
  readonly mayRegister: boolean;
}

/** Reads who the caller is. Needs no permission. Rejects if the platform does not accept the session. */
export async function readViewer(options: GlobalOptions): Promise<Viewer> {
  const { subject, kind, displayName, permissions, mayRegister } = await readJson<Viewer>(options, "/api/v2/viewer");
  return { subject, kind, displayName, permissions, mayRegister };
}

/** `Ada Admin (user:admin)` */
export function viewerText({ subject, displayName, kind }: Viewer): string {
  if (subject === null) return kind === "system" ? "the platform itself: it needs no sign-in" : "an anonymous caller";
  return displayName === null ? subject : `${displayName} (${subject})`;
}
