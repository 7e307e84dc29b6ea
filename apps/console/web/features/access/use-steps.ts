import { useState } from "react";

const size = 50;

export interface Steps<Item> {
  readonly shown: readonly Item[];
  /** For {@link MoreButton}. */
  readonly more: { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean; fetchNextPage(): undefined };
}

/** Shows a list that the API returns whole in steps of 50, so that the page stays responsive. */
export function useSteps<Item>(items: readonly Item[]): Steps<Item> {
  const [count, setCount] = useState(size);
  return {
    shown: items.slice(0, count),
    more: {
      hasNextPage: items.length > count,
      isFetchingNextPage: false,
      fetchNextPage: () => {
        setCount(count + size);
        return undefined;
      },
    },
  };
}
