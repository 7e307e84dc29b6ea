import type { PageContext } from "@appserver/sdk/page";
import { useEffect, useState } from "react";

/** Calls the backend of the app, as the user. Rejects with its text if it refuses. */
export async function call<T>(page: PageContext, method: string, path: string, body?: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  const response = await page.fetch(path, { method, ...(body && { headers, body: JSON.stringify(body) }) });
  const text = await response.text();
  if (response.ok) return (text === "" ? undefined : JSON.parse(text)) as T;
  throw new Error(errorIn(text) ?? `the backend returned status ${response.status}`);
}

function errorIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { readonly error?: string }).error;
  } catch {
    return undefined;
  }
}

export type Loaded<T> = { readonly value: T } | { readonly error: string } | undefined;

/** Loads from the backend. Undefined while it loads. */
export function useLoaded<T>(page: PageContext, path: string): [Loaded<T>, (value: T) => void] {
  const [loaded, setLoaded] = useState<Loaded<T>>();
  useEffect(() => {
    let isCurrent = true;
    const show = (result: Loaded<T>): void => {
      if (isCurrent) setLoaded(result);
    };
    call<T>(page, "GET", path).then(
      (value) => show({ value }),
      (error: Error) => show({ error: error.message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [page, path]);
  return [loaded, (value) => setLoaded({ value })];
}
