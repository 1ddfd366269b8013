/** Draws a random duration in milliseconds. */
export type Distribution = (random: () => number) => number;

export const constant =
  (time: number): Distribution =>
  () =>
    time;

export const exponential =
  (mean: number): Distribution =>
  (random) =>
    -mean * Math.log(1 - random());

/**
 * Mostly short durations with a few long ones, as in web services. `spread` is the standard deviation of the logarithm.
 */
export const lognormal =
  (median: number, spread: number): Distribution =>
  (random) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return median * Math.exp(spread * normal);
  };

/** Nine of ten durations take a fifth of the mean, the others 8.2 times the mean. */
export const bimodal =
  (mean: number): Distribution =>
  (random) =>
    mean * (random() < 0.9 ? 0.2 : 8.2);
