/** The same database, with commits that return before they are on the disk: nothing is lost but by a power cut. */
export const relaxed = (url) => `${url}?options=${encodeURIComponent("-c synchronous_commit=off")}`;
