import type { ContainerView } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";

/** Sends a request to the probe and waits for it to listen. */
export async function ask(view: Pick<ContainerView, "endpoint">, path: string): Promise<unknown> {
  const url = new URL(path, view.endpoint);
  // Only the first request may need to wait. An app that exits during a request must not receive it again.
  await eventually(async () => {
    const response = await fetch(new URL("/", url));
    await response.body?.cancel();
    return response.ok;
  });
  return await (await fetch(url)).json();
}
