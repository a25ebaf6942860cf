"""Which figures tell nothing."""

# Rounds further apart than this part of their median,
SPREAD = 0.25
# or programs that are not part of the measurement had this much of the machine meanwhile.
OTHERS = 0.15


def is_noise(figures):
    return figures["spread"] > SPREAD or figures.get("others", 0) > OTHERS


def words(figures):
    found = []
    if figures["spread"] > SPREAD:
        found.append("noise: rounds %.0f %% apart" % (100 * figures["spread"]))
    if figures.get("others", 0) > OTHERS:
        found.append("noise: others had %.0f %% of the machine" % (100 * figures["others"]))
    return found
