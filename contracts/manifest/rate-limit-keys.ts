/** Values of `key_pattern`: what a rate limit counts (docs/interface/manifest.md#rate-limits). */
export const rateLimitKeys = ["user:{user_id}", "app:{app_name}", "ip:{remote_addr}", "global"] as const;
export type RateLimitKey = (typeof rateLimitKeys)[number];

export function isRateLimitKey(text: string): text is RateLimitKey {
  return rateLimitKeys.some((key) => key === text);
}
