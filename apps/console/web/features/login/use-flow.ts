import type { Flow, FlowKind } from "@appserver/contracts/sign-in";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { i18n } from "../../i18n.ts";
import { type FlowSearch, ownPath, pageInstead, pageOf } from "./addresses.ts";
import { type ButtonNode, fieldsOf, type Values } from "./flow.ts";
import { begin, followLink, resume, type Step, submit } from "./self-service.ts";

export interface FlowState {
  readonly flow: Flow | undefined;
  readonly failure: Error | undefined;
  /** Said above the form: the earlier flow could not continue. */
  readonly notice: string | undefined;
  readonly isSending: boolean;
  /** The page that was asked for, as far as it is one of this platform. */
  readonly returnTo: string | undefined;
  readonly send: (button: ButtonNode, values: Values) => Promise<void>;
  readonly retry: () => void;
}

/** Begins the flow of a page, or continues the one that the URL names, and follows it to its end. */
export function useFlow(kind: FlowKind): FlowState {
  const search: FlowSearch = useSearch({ strict: false });
  const router = useRouter();
  const [flow, setFlow] = useState<Flow>();
  const [failure, setFailure] = useState<Error>();
  const [notice, setNotice] = useState<string>();
  const [isSending, setSending] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const shown = useRef<string>(undefined);
  const { flow: id, aal, refresh } = search;
  const returnTo = ownPath(search.return_to);

  const follow = useCallback(
    async (step: Step): Promise<void> => {
      const go = (to: string): Promise<never> => {
        location.replace(to);
        // The page stays as it is until the browser has left it.
        return new Promise(() => {});
      };
      const search = { return_to: returnTo };
      switch (step.kind) {
        case "flow": {
          setFlow(step.flow);
          if (shown.current === step.flow.id) return;
          shown.current = step.flow.id;
          // A fragment with the token of a link stays: the page needs it after a reload.
          return router.history.replace(pageOf(kind, { ...search, aal, refresh, flow: step.flow.id }) + location.hash);
        }
        case "finished":
          return go(returnTo ?? (step.next === undefined ? "/console" : pageInstead(step.next)));
        case "signed-in":
          return go(returnTo ?? "/console");
        case "leave":
          return go(withReturn(step.to, returnTo));
        case "signed-out":
          return go(pageOf("login", { return_to: kind === "login" ? returnTo : pageOf(kind, search) }));
        case "prove":
          return go(
            pageOf("login", {
              ...(step.by === "aal2" ? { aal: "aal2" } : { refresh: true }),
              return_to: pageOf(kind, { ...search, flow: shown.current }),
            }),
          );
        case "restart": {
          setNotice(i18n.t("That took too long, or began in another browser. Please start again."));
          const successor = step.flow;
          return follow(
            successor === undefined
              ? await begin(kind, { aal, refresh, returnTo })
              : await resume(kind, successor, { refresh, returnTo }),
          );
        }
      }
    },
    [kind, aal, refresh, returnTo, router],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins the same flow again.
  useEffect(() => {
    if (id !== undefined && id === shown.current) return;
    let isCurrent = true;
    const read = async (): Promise<void> => {
      const step = await (followLink(kind) ??
        (id === undefined ? begin(kind, { aal, refresh, returnTo }) : resume(kind, id, { refresh, returnTo })));
      if (isCurrent) await follow(step);
    };
    setFailure(undefined);
    read().catch((error: unknown) => isCurrent && setFailure(toError(error)));
    return () => {
      isCurrent = false;
    };
  }, [id, kind, aal, refresh, returnTo, follow, attempt]);

  const send = async (button: ButtonNode, values: Values): Promise<void> => {
    if (!flow || isSending) return;
    setSending(true);
    setFailure(undefined);
    setNotice(undefined);
    try {
      await follow(await submit(kind, flow.id, fieldsOf(flow, button, values)));
    } catch (error) {
      setFailure(toError(error));
    } finally {
      setSending(false);
    }
  };
  return { flow, failure, notice, isSending, returnTo, send, retry: () => setAttempt((count) => count + 1) };
}

/** Keeps the page that was asked for when another flow of the platform continues. */
function withReturn(address: string, returnTo: string | undefined): string {
  const path = ownPath(address);
  if (path === undefined || returnTo === undefined || !path.startsWith("/login")) return address;
  const url = new URL(path, location.origin);
  if (!url.searchParams.has("return_to")) url.searchParams.set("return_to", returnTo);
  return `${url.pathname}${url.search}`;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
