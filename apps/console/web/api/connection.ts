import { Store } from "./store.ts";

/** Whether requests and the socket reach the platform. */
export const connection: Store<"connected" | "lost"> = new Store<"connected" | "lost">("connected");

/** Whether the platform refused the session after it had accepted it. */
export const session: Store<"valid" | "ended"> = new Store<"valid" | "ended">("valid");
