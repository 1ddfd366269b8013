module.exports = {
  core: require('@headgate/core'),
  express: require('@headgate/express'),
};
