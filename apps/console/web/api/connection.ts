import { Store } from "./store.ts";

/** Whether requests and the socket reach the platform. */
export const connection: Store<"connected" | "lost"> = new Store<"connected" | "lost">("connected");

/** Requests that failed because something that the platform needs does not respond, since everything last responded. */
export const failures: Store<number> = new Store<number>(0);

/** Whether the platform refused the session after it had accepted it. */
export const session: Store<"valid" | "ended"> = new Store<"valid" | "ended">("valid");
