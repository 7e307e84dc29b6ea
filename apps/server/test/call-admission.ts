import { anonymousCaller } from "@appserver/kernel";
import type { CallAdmission } from "../src/listeners/grpc/index.ts";

/** Everybody may send messages of any size, and stays a stranger. */
export const anyCaller: CallAdmission = { caller: anonymousCaller, isProven: false, maxMessageBytes: 64 * 1024 * 1024 };
