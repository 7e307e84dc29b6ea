import { Group } from "@mantine/core";
import { i18n } from "../i18n.ts";
import { BusyButton } from "./busy-button.tsx";

interface Pages {
  readonly data?: { readonly pages: readonly unknown[] } | undefined;
}

interface MoreProps {
  readonly query: Pages & {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    fetchNextPage(): Promise<Pages & { readonly isError: boolean }> | undefined;
  };
}

const maxAttempts = 10;

/** Loads the next page of a list, if there is one. */
export function MoreButton({ query }: MoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <Group justify="center" mt="md">
      <BusyButton variant="default" loading={query.isFetchingNextPage} onClick={() => void loadMore(query)}>
        {i18n.t("Show more")}
      </BusyButton>
    </Group>
  );
}

/** A list that is read again at this moment, for example after an event, discards the page that is being loaded. Then loads it after that. */
async function loadMore(query: MoreProps["query"]): Promise<void> {
  const count = query.data?.pages.length;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const result = await query.fetchNextPage();
    if (!result || result.isError || result.data?.pages.length !== count) return;
  }
}
