//! Structure of the examples of [BDW18] on its Figure 2.
