import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

export const viewerKey = ["viewer"] as const;

/** Refusals are final, except that a dependency does not respond: that may pass within seconds. While the connection is lost, the console itself sends requests until one succeeds, and then reads everything again. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      const isViewer = queryKey[0] === viewerKey[0];
      if (!isViewer && error instanceof ApiError && error.code === "PERMISSION_DENIED") readViewerAgain();
    },
  }),
  defaultOptions: {
    queries: {
      retry: (attempt, error) => (error instanceof ApiError ? attempt < 4 && isBusy(error) : attempt < 2),
      staleTime: 2_000,
      // The server may be reachable although the browser believes to be offline, for example on loopback.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

function isBusy({ code }: ApiError): boolean {
  return code === "SERVICE_UNAVAILABLE";
}

/** A refusal may mean that the viewer has lost a permission. Then the menu and the pages change. */
export function readViewerAgain(): void {
  void queryClient.invalidateQueries({ queryKey: viewerKey });
}
