/** For shells: the two sides of a page in a frame (docs/interface/console.md#origin-and-frames). */
export { connectFrame } from "./connect-frame.ts";
export type {
  FrameRequest,
  FrameResponse,
  MessageFromFrame,
  MessageToFrame,
  ReadyMessage,
  StartMessage,
} from "./frame-messages.ts";
export { type LivePage, livePage, type PageActions, type PageStart } from "./live-page.ts";
