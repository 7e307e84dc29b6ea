import { codeOf } from "./failure.ts";
import type { GlobalOptions } from "./global-options.ts";
import { connect } from "./platform.ts";

/** Whether the gRPC port accepts the caller as one who may see apps, or only as a caller. Rejects if it does not accept the caller. */
export async function tryCall(options: GlobalOptions): Promise<"permitted" | "accepted"> {
  try {
    // No app has this name. The platform checks the caller first.
    await connect(options).marketplace.getApp({ name: "appctl" });
  } catch (error) {
    const code = codeOf(error);
    if (code === "PERMISSION_DENIED") return "accepted";
    if (code !== "NOT_FOUND") throw error;
  }
  return "permitted";
}
