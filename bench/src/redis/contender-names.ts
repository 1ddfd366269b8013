/** The lower bound. */
export const bound = 'minimal';
export const others = [bound, 'redis-semaphore', 'bottleneck'];
