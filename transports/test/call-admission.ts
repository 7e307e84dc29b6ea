import { anonymousCaller } from "@appserver/kernel";
import type { CallAdmission } from "../grpc/index.ts";

/** Admits every caller as unauthenticated, with messages of up to 64 MiB. */
export const anyCaller: CallAdmission = { caller: anonymousCaller, isProven: false, maxMessageBytes: 64 * 1024 * 1024 };
