/** 16 × 16 points in one colour: browsers ask for one, and a file would have to be found. */
const base64 =
  'AAABAAEAEBACAAEAAQCwAAAAFgAAACgAAAAQAAAAIAAAAAEAAQAAAAAAgAAAAAAAAAAAAAAAAgAAAAIAAAAAAAAAaz8f' +
  'AAAAAAB//gAAQAIAAF56AABeegAAWBoAAFgaAABZmgAAWZoAAFgaAABYGgAAXnoAAF56AABAAgAAf/4AAAAAAAD//wAA' +
  'gAEAAL/9AAChhQAAoYUAAKflAACn5QAApmUAAKZlAACn5QAAp+UAAKGFAAChhQAAv/0AAIABAAD//wAA';

export const favicon = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
