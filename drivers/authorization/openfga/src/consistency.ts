/** Whether the server may answer from its caches: the values of `consistency` in requests. */
export const higherConsistency = "HIGHER_CONSISTENCY";
export const minimizeLatency = "MINIMIZE_LATENCY";
export type Consistency = typeof higherConsistency | typeof minimizeLatency;
