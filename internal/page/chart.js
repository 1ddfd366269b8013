import { part, write } from './dom.js';
import { compact, count } from './words.js';

/** What is rejected, or would be in shadow mode, is counted since the sample before. */
/** @typedef {{ at: number, used: number, demand: number, max: number, rejected?: number, wouldReject?: number }} Sample */
/** @typedef {{ from: string, to: string, sample: Sample }} Step */

/** The time span of a chart, in milliseconds. */
export const span = 300_000;

/**
 * Maximum time, in milliseconds, for which a sample is drawn. A longer gap means that the page was paused or the server
 * unreachable.
 */
const MAX_STEP = 4_000;

/** The size in the SVG's `viewBox`: the bottom has the rejections, which hang from the line below the others. */
const [width, base, bottom] = [300, 36, 45];

/**
 * The history of a limit or a semaphore: what is in use, what waits on top of it, the limit, and below what was rejected.
 */
export class Chart {
  /** @type {Sample[]} */
  #samples = [];
  #svg;
  #scale;
  #unit;
  #hasRejections;

  /** @param {Element} element Contains the SVG and its scale. @param {string} [unit] Of the samples, if they are no counts. */
  constructor(element, unit = '') {
    this.#svg = part(element, 'svg');
    this.#scale = part(element, '.highest');
    this.#unit = unit;
    this.#hasRejections = part(element, '.refused') !== null;
  }

  /** @param {Sample} sample */
  add(sample) {
    this.#samples.push(sample);
    // Keeps one sample from before the chart's start, for its left edge.
    while ((this.#samples[1]?.at ?? Infinity) < sample.at - span) this.#samples.shift();
  }

  /** Of the time that the chart shows. @returns {readonly Sample[]} */
  get samples() {
    return this.#samples;
  }

  /** How many were rejected in the time that the chart shows. */
  get rejected() {
    return sum(this.#samples, ({ rejected = 0 }) => rejected);
  }

  /** How many would have been rejected without shadow mode. */
  get wouldReject() {
    return sum(this.#samples, ({ wouldReject = 0 }) => wouldReject);
  }

  /** Whether nothing has happened in the time that the chart shows. */
  get isIdle() {
    return this.#samples.every(({ demand }) => demand === 0) && this.rejected === 0;
  }

  /** @param {number} now */
  draw(now) {
    const all = this.#samples;
    const highest = Math.max(1, ...all.map(({ demand, max }) => Math.max(demand, max)));
    const steps = all.map((sample, i) => {
      const end = Math.min(all[i + 1]?.at ?? now, sample.at + MAX_STEP);
      return { sample, from: x(sample.at, now), to: x(end, now) };
    });
    /** @param {number} value */
    const y = (value) => (base - 1 - (value / highest) * (base - 3)).toFixed(1);
    this.#path(
      '.demand',
      area(steps, ({ demand }) => y(demand), y(0)),
    );
    this.#path(
      '.in-use',
      area(steps, ({ used }) => y(used), y(0)),
    );
    this.#path(
      '.limit',
      line(steps, ({ max }) => y(max)),
    );
    if (this.#hasRejections) {
      this.#path(
        '.refused',
        bars(steps, ({ rejected = 0 }) => rejected),
      );
      this.#path(
        '.would-refuse',
        bars(steps, ({ wouldReject = 0 }) => wouldReject),
      );
    }
    write(this.#scale, compact(highest) + this.#unit);
    write(part(this.#svg, 'title'), this.#inWords());
  }

  /** @param {string} name @param {string} shape */
  #path(name, shape) {
    part(this.#svg, name).setAttribute('d', shape);
  }

  #inWords() {
    const used = Math.max(0, ...this.#samples.map((sample) => sample.used));
    if (this.#unit !== '') {
      return `In the last five minutes at most ${Math.round(used)}${this.#unit}${this.#refusals()}`;
    }
    const waited = Math.max(0, ...this.#samples.map((sample) => sample.demand - sample.used));
    return `In the last five minutes at most ${used} in use, and ${waited} waited for${this.#refusals()}`;
  }

  #refusals() {
    const { rejected, wouldReject } = this;
    return [
      rejected === 0 ? '' : `; ${count(rejected)} rejected`,
      wouldReject === 0 ? '' : `; ${count(wouldReject)} would have been rejected`,
    ].join('');
  }
}

/** @param {readonly Sample[]} samples @param {(sample: Sample) => number} part */
function sum(samples, part) {
  return samples.reduce((total, sample) => total + part(sample), 0);
}

/** @param {number} at @param {number} now */
function x(at, now) {
  return Math.max(0, width - ((now - at) / span) * width).toFixed(2);
}

/** @param {readonly Step[]} steps @param {(sample: Sample) => string} y @param {string} floor */
function area(steps, y, floor) {
  let shape = '';
  steps.forEach(({ sample, from, to }, i) => {
    // A single path, because separate pieces would show hairlines between them.
    shape += steps[i - 1]?.to === from ? '' : `M${from} ${floor}`;
    shape += `V${y(sample)}H${to}`;
    shape += steps[i + 1]?.from === to ? '' : `V${floor}Z`;
  });
  return shape;
}

/** @param {readonly Step[]} steps @param {(sample: Sample) => string} y */
function line(steps, y) {
  let shape = '';
  steps.forEach(({ sample, from, to }, i) => {
    shape += steps[i - 1]?.to === from ? `V${y(sample)}` : `M${from} ${y(sample)}`;
    shape += `H${to}`;
  });
  return shape;
}

/**
 * A bar for the time before each sample in which something was counted, long enough to be seen if that was little.
 *
 * @param {readonly Step[]} steps @param {(sample: Sample) => number} value
 */
function bars(steps, value) {
  const highest = Math.max(...steps.map(({ sample }) => value(sample)));
  /** @param {Step} step @param {number} i */
  const bar = ({ sample, from }, i) => {
    const counted = value(sample);
    if (counted === 0) return '';
    const end = Math.max(Number(from), 1);
    const start = Math.min(Number(steps[i - 1]?.from ?? 0), end - 1);
    const length = 3 + (counted / highest) * (bottom - base - 4);
    return `M${start.toFixed(2)} ${base + 1}H${end.toFixed(2)}v${length.toFixed(1)}H${start.toFixed(2)}Z`;
  };
  return steps.map(bar).join('');
}
