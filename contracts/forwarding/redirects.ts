/**
 * A request with it, and the value {@link refusedRedirects}, gets 502 in place of a redirection. For a browser that would follow it with the
 * session of its user, to wherever the backend says.
 */
export const redirectsHeader = "x-appserver-redirects";
export const refusedRedirects = "refuse";
