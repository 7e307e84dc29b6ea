import { durationBounds } from "@appserver/kernel/ports";

const eachDuration = [...durationBounds, "more"].map((_, index) => `coalesce(sum(durations[${index + 1}]), 0)`);

/** Adds up the buckets of `durations` over the rows of a group. */
export const durationSums = `array[${eachDuration.join(", ")}]`;
