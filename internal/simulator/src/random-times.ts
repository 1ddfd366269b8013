/** Draws a random duration in milliseconds. */
export type Times = (random: () => number) => number;

export const constant =
  (time: number): Times =>
  () =>
    time;

export const exponential =
  (mean: number): Times =>
  (random) =>
    -mean * Math.log(1 - random());

/** Mostly short with a few long ones, as in web services. `spread` is the standard deviation of the logarithm. */
export const lognormal =
  (median: number, spread: number): Times =>
  (random) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return median * Math.exp(spread * normal);
  };
