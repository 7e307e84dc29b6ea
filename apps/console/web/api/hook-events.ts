import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { HookTailDocument, type HookTailSubscription } from "../generated/operations.ts";
import { follow } from "./client.ts";
import { Store, useStore } from "./store.ts";

export type HookEvent = HookTailSubscription["hookTriggered"];

/** An event has up to 256 KiB of data. */
const maxKept = 100;
/** Events often arrive in groups. The deliveries are read once for each group. */
const groupMs = 500;

/** Events that arrived since the console was loaded, newest first. The API has no query for earlier ones. */
const seen: Store<readonly HookEvent[]> = new Store<readonly HookEvent[]>([]);

/** Returns the events that arrived while a page of hooks was open, newest first. */
export function useSeenHookEvents(): readonly HookEvent[] {
  return useStore(seen);
}

/** Collects the events that are triggered, and reads the deliveries again after them. */
export function useHookTail(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer = undefined;
      void queries.invalidateQueries({ queryKey: ["deliveries"] });
    };
    const stop = follow(HookTailDocument, {}, ({ hookTriggered: event }) => {
      seen.set([event, ...seen.get().filter(({ id }) => id !== event.id)].slice(0, maxKept));
      timer ??= setTimeout(refresh, groupMs);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [queries]);
}
