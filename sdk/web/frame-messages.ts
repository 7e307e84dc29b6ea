import type { PageStart } from "./live-page.ts";
import type { NoticeKind, PageTheme } from "./page-types.ts";

/** The first message from the frame: its document can take a {@link StartMessage}. */
export interface ReadyMessage {
  readonly type: "appserver:ready";
}

/** The first message to the frame, with the port over which everything else goes. */
export interface StartMessage<Module = unknown> {
  readonly type: "appserver:start";
  readonly start: PageStart;
  /** The scripts that the platform's own frame document runs. */
  readonly module?: Module;
}

export type MessageToFrame =
  | { readonly type: "path"; readonly path: string }
  | { readonly type: "theme"; readonly theme: PageTheme }
  /** Bytes of the body of a request. */
  | { readonly type: "uploaded"; readonly id: number; readonly sent: number; readonly total: number }
  | { readonly type: "response"; readonly id: number; readonly response: FrameResponse }
  | { readonly type: "failure"; readonly id: number; readonly message: string };

export type MessageFromFrame =
  | { readonly type: "mounted" }
  /** Nothing in the page listens to the changed path. */
  | { readonly type: "unfollowed" }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "navigate"; readonly path: string; readonly replace: boolean }
  | { readonly type: "notify"; readonly message: string; readonly kind: NoticeKind }
  | { readonly type: "request"; readonly id: number; readonly path: string; readonly request: FrameRequest }
  | { readonly type: "abort"; readonly id: number };

export interface FrameRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ArrayBuffer | Blob | string | null;
  /** Whether the frame gets messages of the type `uploaded`. */
  readonly reportsUpload: boolean;
}

export interface FrameResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ArrayBuffer;
}
